import type { TokenCredential } from '@azure/identity';

let shared: Promise<TokenCredential> | undefined;

/**
 * Who the app is, for every service it reaches without a key: in Azure the user-assigned identity that AZURE_CLIENT_ID
 * names, on a laptop whoever is signed in. One for the whole process, for it keeps the tokens.
 * Loaded only where it is used: a local stack has no identity, and the package is most of a cold start.
 */
export function appIdentity(): Promise<TokenCredential> {
  shared ??= import('@azure/identity').then(({ DefaultAzureCredential }) => new DefaultAzureCredential());
  return shared;
}
