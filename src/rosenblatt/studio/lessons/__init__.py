"""The lessons: one TOML file each, `KEY.toml`, with its check in `page/lessons/checks/KEY.js`."""
