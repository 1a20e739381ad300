"""What is raised for anything that the contracts do not allow."""


class ContractError(ValueError):
    """A value that the contract does not allow; names what, its value and what is allowed."""


class IncompatibleVersionError(ContractError):
    """A record of a later, incompatible version: to be left alone, not guessed or replaced."""
