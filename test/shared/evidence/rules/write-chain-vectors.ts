import { createHash, createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import canonicalize from 'canonicalize';

/**
 * Computes the links in the committed test vectors of chains again, after a change of headers, of texts or of the version:
 * `node test/shared/evidence/rules/write-chain-vectors.ts`. It uses none of the code that the vectors test.
 */
const VERSION = 2;
const FIRST = '00'.repeat(32);

const hashOf = (domain: string, previous: string, header: string): string =>
  createHash('sha256')
    .update(`${domain}\0`)
    .update(Buffer.from([VERSION]))
    .update(Buffer.from(previous, 'hex'))
    .update(header)
    .digest('hex');

function rewrite<T>(name: string, change: (vectors: T) => void): void {
  const file = new URL(name, import.meta.url);
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as T;
  change(vectors);
  writeFileSync(file, `${JSON.stringify(vectors, null, 2)}\n`);
}

interface ChainVectors {
  version: number;
  chains: { domain: string; links: { header: object; canonical: string; previous: string; hash: string }[] }[];
}

rewrite<ChainVectors>('hash-chain.vectors.json', (vectors) => {
  vectors.version = VERSION;
  for (const { domain, links } of vectors.chains) {
    let previous = FIRST;
    for (const link of links) {
      link.canonical = canonicalize(link.header) ?? '';
      link.previous = previous;
      link.hash = hashOf(domain, previous, link.canonical);
      previous = link.hash;
    }
  }
});

interface EnvironmentVectors {
  org: string;
  environment: string;
  links: {
    number: number;
    at: number;
    summary: object;
    summaryText: string;
    summarySalt: string;
    content: string;
    contentSalt: string;
    previous: string;
    hash: string;
  }[];
}

rewrite<EnvironmentVectors>('../../environments/chain.vectors.json', ({ org, environment, links }) => {
  const commitmentOf = (salt: string, text: string) =>
    createHmac('sha256', Buffer.from(salt, 'hex')).update(text, 'utf8').digest('hex');
  let previous = FIRST;
  for (const link of links) {
    link.summaryText = canonicalize(link.summary) ?? '';
    link.previous = previous;
    const { number, at, content, contentSalt, summaryText, summarySalt } = link;
    const commitments = {
      content: commitmentOf(contentSalt, content),
      summary: commitmentOf(summarySalt, summaryText),
    };
    const header = { org, subject: { environment }, number, kind: 'snapshot', at, commitments };
    link.hash = hashOf('delivery-evidence/environment', previous, canonicalize(header) ?? '');
    previous = link.hash;
  }
});
