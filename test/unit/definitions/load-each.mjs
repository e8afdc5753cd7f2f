// Loads the registries of projects, one after the other, and says what each cost: `load-each.mjs LOADER WARM-UP PROJECT..`.
/** What is quicker needs no other turn. Milliseconds of CPU. */
const QUICK_MS = 100;

const [, , loader, warmUp, ...roots] = process.argv;
const { RegistryLoader } = await import(loader);
new RegistryLoader(warmUp).load();
const results = [];
for (const root of roots) {
  globalThis.gc();
  const before = process.memoryUsage.rss();
  let [cpu, megabytes, problems, operations] = [Number.POSITIVE_INFINITY, 0, [], []];
  // The quickest of several, since others use the machine as well; the memory of the first, whose leavings the others find.
  for (let turn = 0; turn < 3 || (turn < 20 && cpu >= QUICK_MS); turn += 1) {
    const started = process.cpuUsage();
    try {
      const registry = new RegistryLoader(root).load();
      problems = registry.problems;
      operations = [...registry.operations.keys()];
    } catch (error) {
      if (typeof error.toProblem !== 'function') throw error;
      problems = [error.toProblem()];
    }
    const { user, system } = process.cpuUsage(started);
    cpu = Math.min(cpu, (user + system) / 1000);
    if (turn === 0) megabytes = (process.memoryUsage.rss() - before) / 1024 / 1024;
  }
  results.push({ problems: problems.slice(0, 3), operations, cpu, megabytes });
}
const peak = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ results, peak }));
