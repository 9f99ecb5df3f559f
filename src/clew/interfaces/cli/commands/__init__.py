"""One module a command or group of commands; each has `<name>_command`, which `main` looks up."""
