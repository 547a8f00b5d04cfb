import { isDeepStrictEqual } from 'node:util';
import { storageConnection } from '../../shared/config.ts';
import { type ContainerDefinition, containerRequest } from '../../shared/store/containers.ts';
import type { Deployment, Resource } from './predicted.ts';

/** Each rule returns what breaks it, in words; an empty list is what a deployment must give. */

/** The containers of the deployment are those of the code, field by field. */
export function containerProblems(
  definitions: readonly ContainerDefinition[],
  deployed: readonly Resource[],
): string[] {
  const wanted = new Map(definitions.map((definition) => [definition.id, containerRequest(definition)]));
  const found = new Map(deployed.map(({ name, properties }) => [name.split('/').at(-1) ?? '', properties.resource]));
  return [...new Set([...wanted.keys(), ...found.keys()])].filter(
    (name) => !isDeepStrictEqual(wanted.get(name), found.get(name)),
  );
}

/**
 * Settings that the platform or an SDK reads in Azure. All others must be known to the code: settings of its own, or
 * under the name of a connection that a stream or the host uses.
 */
const PLATFORM_SETTINGS = new Set([
  'APPLICATIONINSIGHTS_CONNECTION_STRING',
  'APPLICATIONINSIGHTS_AUTHENTICATION_STRING',
  'AZURE_CLIENT_ID',
  'AZURE_TOKEN_CREDENTIALS',
]);
/** What an identity-based connection consists of. */
const CONNECTION_PARTS =
  /__(fullyQualifiedNamespace|accountName|blobServiceUri|queueServiceUri|tableServiceUri|credential|clientId)$/;

/** Settings that nobody reads, and settings of the code that the deployment forgets. */
export function settingProblems(
  settings: Readonly<Record<string, unknown>>,
  known: readonly string[],
  connections: readonly string[],
): string[] {
  const unread = Object.keys(settings).filter((name) => {
    const isConnection = CONNECTION_PARTS.test(name) && connections.includes(name.replace(CONNECTION_PARTS, ''));
    return !known.includes(name) && !PLATFORM_SETTINGS.has(name) && !isConnection;
  });
  const isLocal = (name: string) => name === 'COSMOS_KEY' || name.startsWith('AzureWebJobsStorage');
  const forgotten = known.filter((name) => !isLocal(name) && settings[name] === undefined);
  const unreachable = connections.filter(
    (name) =>
      settings[`${name}__fullyQualifiedNamespace`] === undefined && storageConnection(settings, name) === undefined,
  );
  return [
    ...unread.map((name) => `nobody reads ${name}`),
    ...forgotten.map((name) => `${name} is not set`),
    ...unreachable.map((name) => `the connection ${name} leads nowhere`),
  ];
}

/** Deprecated or refused on Flex Consumption (Microsoft's "Flex Consumption plan deprecations"). */
const FORBIDDEN_SETTINGS =
  /^(ENABLE_ORYX_BUILD|FUNCTIONS_(EXTENSION_VERSION|WORKER_RUNTIME|WORKER_RUNTIME_VERSION|WORKER_PROCESS_COUNT|MAX_HTTP_CONCURRENCY|WORKER_DYNAMIC_CONCURRENCY_ENABLED)|SCM_DO_BUILD_DURING_DEPLOYMENT|WEBSITE_(CONTENT.*|RUN_FROM_PACKAGE|TIME_ZONE|NODE_DEFAULT_VERSION|DNS_SERVER|VNET_ROUTE_ALL|SKIP_CONTENTSHARE_VALIDATION|MAX_DYNAMIC_APPLICATION_SCALE_OUT)|XDT_MicrosoftApplicationInsights_Mode)$/;
const FORBIDDEN_SITE_CONFIG =
  /^(linuxFxVersion|windowsFxVersion|netFrameworkVersion|nodeVersion|alwaysOn|appSettings|functionAppScaleLimit|minimumElasticInstanceCount|preWarmedInstanceCount|use32BitWorkerProcess|vnetRouteAllEnabled|vnetPrivatePortsCount|javaVersion|powerShellVersion|pythonVersion|phpVersion)$/;
const FORBIDDEN_SITE_PROPERTIES =
  /^(containerSize|isReserved|reserved|isXenon|dailyMemoryTimeQuota|vnetRouteAllEnabled)$/;

/** What a Flex Consumption app must not have, in its settings and in its resource. */
export function flexProblems(settings: Readonly<Record<string, unknown>>, site: Resource): string[] {
  const { siteConfig } = site.properties;
  const config = typeof siteConfig === 'object' && siteConfig !== null ? siteConfig : {};
  return [
    ...Object.keys(settings).filter((name) => FORBIDDEN_SETTINGS.test(name)),
    ...Object.keys(config).filter((name) => FORBIDDEN_SITE_CONFIG.test(name)),
    ...Object.keys(site.properties).filter((name) => FORBIDDEN_SITE_PROPERTIES.test(name)),
  ];
}

/** Functions of templates that read secrets, and the shapes that secrets have as text. */
const SECRET =
  /list(Keys|AccountSas|ServiceSas|ConnectionStrings|Secrets|Credentials|HostKeys|FunctionKeys)|(primary|secondary)(Master)?(Key|ConnectionString)|AccountKey=|SharedAccess(Key|Signature)|[?&]sig=|InstrumentationKey|ConnectionString/i;
/** Says where telemetry goes, and the host cannot do without. With local auth off it opens nothing. */
const TELEMETRY_ADDRESS = 'APPLICATIONINSIGHTS_CONNECTION_STRING';

/** Places in resources and outputs that hold or read a key, a connection string or a SAS. */
export function secretProblems(deployment: Pick<Deployment, 'predictedResources' | 'outputs'>): string[] {
  return [...texts(deployment.predictedResources, 'resource'), ...texts(deployment.outputs, 'output')]
    .filter(({ path, text }) => SECRET.test(text) && !path.endsWith(`.${TELEMETRY_ADDRESS}`))
    .map(({ path }) => path);
}

function* texts(value: unknown, path: string): Generator<{ readonly path: string; readonly text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* texts(member, `${path}.${name}`);
  }
}

/** Resources that take keys where they could take identities alone. */
export function keyProblems({ predictedResources }: Pick<Deployment, 'predictedResources'>): string[] {
  const closed: Readonly<Record<string, readonly [property: string, value: boolean]>> = {
    'Microsoft.DocumentDB/databaseAccounts': ['disableLocalAuth', true],
    'Microsoft.EventHub/namespaces': ['disableLocalAuth', true],
    'Microsoft.Insights/components': ['DisableLocalAuth', true],
    'Microsoft.Storage/storageAccounts': ['allowSharedKeyAccess', false],
    'Microsoft.Web/sites/basicPublishingCredentialsPolicies': ['allow', false],
  };
  return predictedResources
    .filter(({ type, properties }) => {
      const [property, value] = closed[type] ?? [];
      return property !== undefined && properties[property] !== value;
    })
    .map(({ type, name }) => `${type} ${name}`);
}
