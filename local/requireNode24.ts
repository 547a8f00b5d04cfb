/** Every entry script imports this first: npm scripts must run on the Node 24 that `npm ci` installed. */
const REQUIRED_MAJOR = 24;

const major = Number(process.versions.node.split('.')[0]);
if (major < REQUIRED_MAJOR) {
  console.error(
    `Tributary runs on Node ${REQUIRED_MAJOR}, this is Node ${process.versions.node}. ` +
      'Run it through npm (npm start, npm test), and install with `npm ci` without --ignore-scripts.',
  );
  process.exit(1);
}
