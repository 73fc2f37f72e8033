export function check({ tool }) {
  if (!tool?.decision) return [false, "No message has been decided yet."];
  const { label, known } = tool.decision, isLongEnough = tool.text.trim().split(/\s+/).length >= 5 && known >= 3;
  return [label === "spam" && isLongEnough, isLongEnough ? `The unit decides: ${label}.` : "Write at least five words, three of which the unit knows."];
}
