package io.eyewall.storm;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 over the bytes of a message, the same for equal messages. */
final class Digest {

    private Digest() {}

    static ByteString of(MessageLite message) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes(message));
            return ByteString.copyFrom(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Maps are written in the order of their keys. */
    static byte[] bytes(MessageLite message) {
        byte[] bytes = new byte[message.getSerializedSize()];
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.useDeterministicSerialization();
        try {
            message.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException("an array of the message's own size is full", e);
        }
        return bytes;
    }
}
