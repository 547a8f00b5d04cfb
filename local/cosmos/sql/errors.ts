import { badRequest, type CosmosError } from '../errors.ts';
import type { Span } from './ast.ts';

/** A refused query, in the form the service uses: a list of errors with code and position, as JSON in the message. */
function refusal(code: string, message: string, span: Span | undefined): CosmosError {
  const location = span === undefined ? {} : { location: span };
  return badRequest(JSON.stringify({ errors: [{ severity: 'Error', ...location, code, message }] }));
}

export function syntaxError(near: string, span: Span): CosmosError {
  return refusal('SC1001', `Syntax error, incorrect syntax near '${near}' at position ${span.start}.`, span);
}

export function unresolved(name: string, span: Span): CosmosError {
  return refusal('SC2001', `Identifier '${name}' could not be resolved.`, span);
}

export function unknownFunction(name: string, span: Span): CosmosError {
  return refusal('SC2005', `'${name}' is not a function that the local gateway knows.`, span);
}

export function unsupported(construct: string, span?: Span): CosmosError {
  return refusal('SC2100', `The local gateway does not support ${construct}.`, span);
}

export function invalid(message: string, span?: Span): CosmosError {
  return refusal('SC2200', message, span);
}
