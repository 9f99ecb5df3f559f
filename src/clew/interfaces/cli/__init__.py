"""The command line. `main` loads a command's module only when that command is asked for, so that help is quick."""
