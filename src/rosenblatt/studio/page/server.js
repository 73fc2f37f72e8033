// Sends questions to the server. A question sent again replaces the one before it, whose work the server then cancels.
// `slot` names what is replaced, where the same question is sent for several purposes.

const pending = new Map();
const NAME = Math.random().toString(36).slice(2); // by which a server for a class shares its time fairly

export const isRecording = false; // see offline/server.js
export async function openingFragment() { return location.hash.slice(1); }

export async function ask(question, request = {}, { slot = question } = {}) {
  const control = new AbortController();
  pending.get(slot)?.abort();
  pending.set(slot, control);
  const response = await fetch(`api/${question}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-studio-page": NAME },
    body: JSON.stringify(request),
    signal: control.signal,
  }).catch((error) => { throw isReplaced(error) ? error : new Error("The studio does not answer: is rosenblatt studio still running?"); });
  const answer = await response.json();
  if (pending.get(slot) === control) pending.delete(slot);
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

// Whether the error only means that a newer question has replaced this one.
export const isReplaced = (error) => error.name === "AbortError";
