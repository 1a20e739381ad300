"""`java.util.Random`, number for number: a linear congruential generator of 48 bits.

The Java SE API documents its algorithms, so every Java has the same numbers.
"""

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = (1 << 48) - 1
_INT_BITS = 32


class JavaRandom:
    """What `new java.util.Random(seed)` draws.

    Parameters
    ----------
    seed
        A Java long; negative ones are taken as Java's two's complement.
    """

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ _MULTIPLIER) & _MASK

    def next_int(self) -> int:
        """`nextInt()`: any of the 2^32 ints."""
        return self._next(_INT_BITS)

    def below(self, bound: int) -> int:
        """`nextInt(bound)`: an int in [0, bound)."""
        drawn = self._next(31)
        if bound & (bound - 1) == 0:
            return bound * drawn >> 31
        # Java detects the incomplete last run of `bound` numbers by an int that overflows.
        while drawn - drawn % bound + bound - 1 >= 1 << 31:
            drawn = self._next(31)
        return drawn % bound

    def next_double(self) -> float:
        """`nextDouble()`: a number in [0, 1)."""
        high = self._next(26)
        return float((high << 27) + self._next(27)) / (1 << 53)

    def skip(self, draws: int) -> None:
        """Throw so many ints away."""
        for _ in range(draws):
            self.next_int()

    def _next(self, bits: int) -> int:
        """Return the highest bits of the next state, as a signed int of 32 bits."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        drawn = self._state >> (48 - bits)
        return drawn - (1 << _INT_BITS) if drawn >> (_INT_BITS - 1) else drawn
