"""Generated stubs of contracts/proto: run `make proto` after a change there."""
