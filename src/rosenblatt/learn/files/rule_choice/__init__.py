"""Which rule learns a file: the named ones, the race between them, and the choice by folds for few examples."""
