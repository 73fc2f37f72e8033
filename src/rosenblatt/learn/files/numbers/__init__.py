"""What only a fit that predicts a number needs: its targets, its loss, and the choice of a rule on few examples."""
