import { count, rounded } from "./answers.js";

const MIN_WORDS = 5, MIN_KNOWN = 3;

export function check({ tool }) {
  if (!tool?.decision) return [false, "No message has been decided yet."];
  const { label, known, score, threshold, words } = tool.decision, many = tool.text.trim().split(/\s+/).length;
  if (many < MIN_WORDS) return [false, `These are ${count(many, "word")}: write at least five.`];
  if (known < MIN_KNOWN) return [false, `The unit knows ${known ? `only ${known}` : "none"} of these words, and the others count for nothing: use at least three that it knows.`];
  return [label === "spam", `The unit decides ham: the score of spam is ${rounded(score)}, and it must be above ${rounded(threshold)}. ${heldBack(words)}`];
}

// What speaks most against spam or, if nothing does, what is missing.
function heldBack(words) {
  const against = words.filter(({ contribution }) => contribution < 0).slice(0, 2).map(({ feature }) => `“${feature}”`);
  return against.length ? `${against.join(" and ")} ${against.length > 1 ? "speak" : "speaks"} most against it.` : "Nothing speaks against it, but its words weigh too little: take some from the list for spam.";
}
