// Filled by the form.
