// A printed line longer than any table is a sentence, and may be wrapped; layout.css does it.
document.addEventListener("DOMContentLoaded", () => {
  for (const line of document.querySelectorAll(".highlight-console .go"))
    if (line.textContent.length > 100) line.classList.add("long-line");
});
