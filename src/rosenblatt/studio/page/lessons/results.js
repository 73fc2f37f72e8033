// The form with which students save the list of lessons they have done, as a file for the lecturer;
// studio/lesson_results.py reads it.

import { element, paragraph } from "../dom.js";
import { saveFile } from "../files.js";

export function resultsForm(finished) {
  const name = element("input", { type: "text", name: "student", autocomplete: "name", required: true });
  const form = element("form", { className: "bar" }, element("label", {}, "Your name ", name), element("button", { type: "submit", textContent: "Save my results" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const student = name.value.trim(), saved = new Date().toISOString().slice(0, 16), done = [...finished];
    const content = { format: "rosenblatt studio results", version: 1, name: student, done, saved, checksum: crc32([student, done.join("."), saved].join("\n")) };
    saveFile(`results-${student.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-")}.json`, `${JSON.stringify(content, null, 1)}\n`, "application/json");
  });
  return [paragraph("For your lecturer: which lessons are done, as a small file.", "muted"), form];
}

export function crc32(text) {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}
