import { mistakesAndEpochs, rounded } from "./answers.js";

export function check({ run, options }) {
  const { kernel, gamma } = options, mistakes = mistakesAndEpochs(run);
  if (!kernel) return [false, "No kernel is chosen, so the boundary is a straight line, and none separates the moons: choose rbf."];
  if (kernel !== "rbf") return [false, `That is the kernel ${kernel}, which has no hills: choose rbf.`];
  const width = Number(gamma) > 0 ? ` A hill of gamma ${rounded(Number(gamma))} has half its height still at a distance of ${rounded(Math.sqrt(Math.LN2 / Number(gamma)))}: so the hills of one moon cover the other. Make them narrower.` : "";
  return [run.status === "separated", `No clean epoch yet: ${mistakes}.${width}`];
}
