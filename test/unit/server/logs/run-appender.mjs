// Adds lines to the log of the run in a folder, as many as it is asked for, each with a long text.
const [, , path, folder, name, count] = process.argv;
const { RunLog } = await import(path);
const log = new RunLog(folder);
for (let at = 0; at < Number(count); at += 1) log.append('task', `${name}-${at}`, { text: name.repeat(3000) });
