import { shutdownAzureMonitor, useAzureMonitor } from '@azure/monitor-opentelemetry';
import { metrics, trace } from '@opentelemetry/api';
import { appIdentity } from '../identity.ts';
import { OpenTelemetryReporter } from './openTelemetry.ts';
import { useTelemetry } from './telemetry.ts';

const SCOPE = 'tributary';
const OFF = { enabled: false };

/** The settings that say where telemetry goes, as the Functions host reads them. */
export interface AzureMonitorSettings {
  /** APPLICATIONINSIGHTS_CONNECTION_STRING: an address and no secret where the resource takes identities alone. */
  readonly connectionString: string;
  /** APPLICATIONINSIGHTS_AUTHENTICATION_STRING: contains `Authorization=AAD` where the resource does. */
  readonly authentication: string | undefined;
}

/**
 * Sends traces, numbers and logs to Application Insights. This module brings megabytes with it: load it only for that.
 * Nothing is instrumented by itself: the paths of requests to Cosmos DB and Blob Storage contain the keys of rows.
 */
export async function startAzureMonitor({ connectionString, authentication }: AzureMonitorSettings): Promise<void> {
  const isSignedIn = authentication?.includes('Authorization=AAD') === true;
  useAzureMonitor({
    azureMonitorExporterOptions: {
      connectionString,
      disableOfflineStorage: true,
      ...(isSignedIn ? { credential: await appIdentity() } : {}),
    },
    instrumentationOptions: {
      http: OFF,
      azureSdk: OFF,
      mongoDb: OFF,
      mySql: OFF,
      postgreSql: OFF,
      redis: OFF,
      redis4: OFF,
      bunyan: OFF,
      winston: OFF,
      console: OFF,
    },
    // A warning counts also where its trace was not among the five a second that are kept.
    enableTraceBasedSamplingForLogs: false,
    enableLiveMetrics: false,
  });
  useTelemetry(new OpenTelemetryReporter(metrics.getMeter(SCOPE), trace.getTracer(SCOPE)));
}

/** Sends what is still here. */
export async function stopAzureMonitor(): Promise<void> {
  await shutdownAzureMonitor();
}
