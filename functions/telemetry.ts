import functions, { app } from '@azure/functions';
import { telemetry } from '../shared/telemetry/telemetry.ts';

/**
 * Not a function: the telemetry of all of them. It starts before the app counts as loaded, and where it cannot start, or
 * where no setting says where to send it, the app works as well without.
 */
const connectionString = process.env.APPLICATIONINSIGHTS_CONNECTION_STRING;
if (connectionString !== undefined && connectionString !== '') {
  try {
    const { startAzureMonitor, stopAzureMonitor } = await import('../shared/telemetry/azureMonitor.ts');
    await startAzureMonitor({
      connectionString,
      authentication: process.env.APPLICATIONINSIGHTS_AUTHENTICATION_STRING,
    });
    const { instrumentFunctions } = await import('../shared/telemetry/functionsInstrumentation.ts');
    instrumentFunctions(functions);
    app.hook.postInvocation(({ invocationContext, error }) =>
      telemetry().ran(invocationContext.functionName, error === undefined || error === null ? 'ok' : 'failed'),
    );
    app.hook.appTerminate(() => stopAzureMonitor());
  } catch (error) {
    console.warn(`telemetry is off: ${error instanceof Error ? error.message : error}`);
  }
}
