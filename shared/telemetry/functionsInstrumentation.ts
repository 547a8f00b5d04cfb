// A static import on purpose: of a lazily imported CommonJS package a bundle has the default export alone.
import { AzureFunctionsInstrumentationESM } from '@azure/functions-opentelemetry-instrumentation';

type FunctionsLibrary = Parameters<AzureFunctionsInstrumentationESM['registerAzFunc']>[0];

/** Continues the host's traces in the functions, and sends their log lines as part of them. */
export function instrumentFunctions(library: FunctionsLibrary): void {
  new AzureFunctionsInstrumentationESM().registerAzFunc(library);
}
