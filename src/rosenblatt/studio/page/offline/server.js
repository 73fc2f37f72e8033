// Takes the place of ../server.js in a page that was saved: every question is answered from the recording in the page.

const recording = (async () => {
  const bytes = Uint8Array.from(atob(document.getElementById("recording").textContent), (letter) => letter.charCodeAt(0));
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  return JSON.parse(text);
})();

export const isRecording = true;
export async function openingFragment() { return (await recording).fragment; }

export async function ask(question, request = {}) {
  const { answers } = await recording;
  if (ANSWERS[question]) return ANSWERS[question](answers, request);
  if (!answers[question]) throw new Error("This page is a recording of one run: start rosenblatt studio to go on from here.");
  return answers[question];
}

const ANSWERS = {
  // The weights change only at moments, so a picture holds until the next one.
  regions: ({ regions: { pictures } }, { times }) => ({ pictures: times.map((time) => ({ ...(pictures.findLast((picture) => picture.time <= time) ?? pictures[0]), time })) }),
  fixed_curves: ({ fixed_curves, widest_margin }, { weights }) => (weights ? widest_margin : fixed_curves),
  visits({ visits: { visits } }, { since }) {
    const from = visits.filter((visit) => visit.t >= since).slice(0, 64);
    if (from[0]?.t !== since) throw new Error(`This page holds the first ${visits.length} visits of the run one by one: go on by mistakes or epochs.`);
    return { since, visits: from };
  },
};

export const isReplaced = () => false;
