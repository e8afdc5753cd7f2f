// Loads the registry of a project as a process of its own and says what it cost: `load-once.mjs LOADER WARM-UP PROJECT`.
const [, , loader, warmUp, root] = process.argv;
const { RegistryLoader } = await import(loader);
new RegistryLoader(warmUp).load();
const before = process.memoryUsage.rss();
let [cpu, megabytes, problems, operations] = [Number.POSITIVE_INFINITY, 0, [], []];
for (let turn = 0; turn < 3; turn += 1) {
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
  // Later turns find what the first one left.
  megabytes ||= process.resourceUsage().maxRSS / 1024 - before / 1024 / 1024;
}
process.stdout.write(JSON.stringify({ problems, operations, cpu, megabytes }));
