/**
 * Preloaded into child processes (`node --import`): ends the process when its standard input ends. The parent holds the other end of that
 * pipe, and the operating system closes it however the parent ends, so no child outlives a parent that was killed.
 */
process.stdin.once('end', () => process.exit(0));
process.stdin.once('error', () => process.exit(0));
process.stdin.resume();
