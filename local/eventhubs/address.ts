/** What a link is attached to. */
export type LinkAddress =
  | { readonly kind: 'claims' }
  | { readonly kind: 'management' }
  | { readonly kind: 'hub'; readonly hub: string; readonly partitionId: string | undefined }
  | { readonly kind: 'consumer'; readonly hub: string; readonly consumerGroup: string; readonly partitionId: string };

const SCHEME_AND_HOST = /^(?:amqps?|sb):\/\/[^/]*/i;

/**
 * Reads the address of a link: `$cbs`, `$management`, `<hub>`, `<hub>/Partitions/<id>` or
 * `<hub>/ConsumerGroups/<group>/Partitions/<id>`, where some client libraries put scheme and host or a slash in front.
 * Undefined when it is none of these.
 */
export function parseAddress(address: string): LinkAddress | undefined {
  const parts = address
    .replace(SCHEME_AND_HOST, '')
    .split('/')
    .filter((part) => part !== '');
  const [first, second, third, fourth, fifth] = parts;
  if (first === undefined) {
    return undefined;
  }
  if (parts.length === 1) {
    switch (first) {
      case '$cbs':
        return { kind: 'claims' };
      case '$management':
        return { kind: 'management' };
      default:
        return { kind: 'hub', hub: first, partitionId: undefined };
    }
  }
  if (parts.length === 3 && isWord(second, 'partitions')) {
    return { kind: 'hub', hub: first, partitionId: third };
  }
  if (parts.length === 5 && isWord(second, 'consumergroups') && isWord(fourth, 'partitions')) {
    return { kind: 'consumer', hub: first, consumerGroup: third ?? '', partitionId: fifth ?? '' };
  }
  return undefined;
}

function isWord(part: string | undefined, word: string): boolean {
  return part?.toLowerCase() === word;
}
