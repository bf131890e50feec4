"""Documents that reports are sent as (RTF, HTML, PDF, plain text), and the text that a reader of each would see."""
