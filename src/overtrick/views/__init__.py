"""What is shown, kept up to date fact by fact."""
