import type { Message } from 'rhea';

/** Answers a request to the claims-based security node: any token is good on a local machine. */
export function answerClaim(): Message {
  return { body: undefined, application_properties: { 'status-code': 202, 'status-description': 'Accepted' } };
}
