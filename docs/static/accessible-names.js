// Names for what the themes leave without one: people who hear the page get what others see.
document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll("summary:has(.toctree-toggle)")) {
    const page = summary.closest("li").querySelector("a").textContent.trim();
    summary.setAttribute("aria-label", `Pages below ${page}`);
  }
  for (const button of document.querySelectorAll(".search-button__button"))  // its name is what it shows, keys included
    button.setAttribute("aria-label", button.textContent.replace(/\s+/g, " ").trim());
  // The link of a picture in the gallery lies over its title, and is empty.
  for (const picture of document.querySelectorAll(".sphx-glr-thumbcontainer")) {
    const title = picture.querySelector(".sphx-glr-thumbnail-title").textContent.trim();
    picture.querySelector("a").setAttribute("aria-label", title);
  }
});
