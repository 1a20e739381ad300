package io.eyewall.storm;

import io.eyewall.storm.rpc.Input;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.ObjectStreamConstants;
import org.apache.storm.Thrift;
import org.apache.storm.generated.Grouping;
import org.apache.storm.grouping.PartialKeyGrouping;

/** Storm's groupings in the contract's words. */
final class Groupings {

    private Groupings() {}

    static Input.Grouping of(Grouping grouping) {
        return switch (Thrift.groupingType(grouping)) {
            case SHUFFLE -> Input.Grouping.SHUFFLE;
            case NONE -> Input.Grouping.NONE;
            case FIELDS ->
                    Thrift.isGlobalGrouping(grouping) ? Input.Grouping.GLOBAL : Input.Grouping.FIELDS;
            case ALL -> Input.Grouping.ALL;
            case DIRECT -> Input.Grouping.DIRECT;
            case LOCAL_OR_SHUFFLE -> Input.Grouping.LOCAL_OR_SHUFFLE;
            case CUSTOM_SERIALIZED -> custom(serializedClass(grouping.get_custom_serialized()));
            case CUSTOM_OBJECT -> custom(grouping.get_custom_object().get_full_class_name());
        };
    }

    private static Input.Grouping custom(String implementation) {
        return PartialKeyGrouping.class.getName().equals(implementation)
                ? Input.Grouping.PARTIAL_KEY
                : Input.Grouping.CUSTOM;
    }

    /** The class of a serialised object, without loading it: users' objects stay closed here. */
    private static String serializedClass(byte[] serialized) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized))) {
            boolean object =
                    in.readShort() == ObjectStreamConstants.STREAM_MAGIC
                            && in.readShort() == ObjectStreamConstants.STREAM_VERSION
                            && in.readByte() == ObjectStreamConstants.TC_OBJECT
                            && in.readByte() == ObjectStreamConstants.TC_CLASSDESC;
            return object ? in.readUTF() : "";
        } catch (IOException e) {
            return "";
        }
    }
}
