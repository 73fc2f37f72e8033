// Asks the server, which asks the engine. A question asked again takes the place of the one before it, whose work the
// server then gives up; `as` names what is waited for, where the same question is asked for several things.

const asking = new Map();

export async function ask(question, request = {}, { as = question } = {}) {
  const control = new AbortController();
  asking.get(as)?.abort();
  asking.set(as, control);
  const response = await fetch(`api/${question}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
    signal: control.signal,
  }).catch((error) => { throw overtaken(error) ? error : new Error("The studio does not answer: is rosenblatt studio still running?"); });
  const answer = await response.json();
  if (asking.get(as) === control) asking.delete(as);
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

// Whether this is only a question that a newer one has taken the place of.
export const overtaken = (error) => error.name === "AbortError";

export const whatHappened = (error) => error.message;
