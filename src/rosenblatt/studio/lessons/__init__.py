"""The lessons: one TOML file each, `texts/KEY.toml`, with its check in `page/lessons/checks/KEY.js`."""
