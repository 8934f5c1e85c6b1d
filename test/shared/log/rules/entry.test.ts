import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { OrganizationId } from '#shared/base/ids.ts';
import { canonicalJson, entryHash, FIRST_PREVIOUS, linkEntry } from '#shared/base/proofs/hash-chain.ts';
import { MalformedEntry, parseEntry } from '#shared/log/rules/entry.ts';
import { testId } from '#test/support/ids.ts';

const ORG = testId<OrganizationId>('org');
const commitments = { moment: 'ab'.repeat(32) };
const header = { org: ORG, subject: { flow: 'f', trail: 't' }, number: 2, kind: 'trail_updated', at: 5, commitments };
const statement = {
  apiVersion: '0.0.2',
  kind: 'hashedrekord',
  spec: { hashedRekordV002: { data: { algorithm: 'SHA2_256', digest: Buffer.from([1, 255]).toString('base64') } } },
};
const bytesOf = (value: unknown) => Buffer.from(canonicalJson(value));

describe('parseEntry', () => {
  it('reads the links of the published test vectors, whose SHA-256 is the hash of the link', () => {
    const url = new URL('../../base/proofs/hash-chain.vectors.json', import.meta.url);
    const { chains } = JSON.parse(readFileSync(url, 'utf8')) as {
      chains: { domain: string; links: { header: typeof header; previous: string; hash: string }[] }[];
    };
    const trails = chains.filter(({ domain }) => domain === 'delivery-evidence/trail');
    expect(trails.length).toBeGreaterThan(0);
    for (const { links } of trails) {
      for (const link of links) {
        const bytes = linkEntry('delivery-evidence/trail', Buffer.from(link.previous, 'hex'), link.header);
        expect(entryHash(bytes).toString('hex')).toBe(link.hash);
        expect(parseEntry(bytes)).toMatchObject({
          kind: 'link',
          org: link.header.org,
          previous: Buffer.from(link.previous, 'hex'),
          header: link.header,
          subject: { kind: 'trail', ...link.header.subject, number: link.header.number },
        });
      }
    }
  });

  it('reads links of environments and of the audit log, and statements', () => {
    const environment = { ...header, subject: { environment: 'e' } };
    const audit = { ...header, subject: { entry: 'a' }, number: 0 };
    expect(parseEntry(linkEntry('delivery-evidence/environment', FIRST_PREVIOUS, environment)).subject).toEqual({
      kind: 'environment',
      environment: 'e',
      number: 2,
    });
    expect(parseEntry(linkEntry('delivery-evidence/audit', FIRST_PREVIOUS, audit)).subject).toEqual({
      kind: 'audit',
      entry: 'a',
    });
    expect(parseEntry(bytesOf(statement)).subject).toEqual({ kind: 'statement', digest: '01ff' });
  });

  const link = linkEntry('delivery-evidence/trail', FIRST_PREVIOUS, header);
  const withHeader = (changed: object) =>
    linkEntry('delivery-evidence/trail', FIRST_PREVIOUS, { ...header, ...changed } as never);
  it.each([
    ['no bytes', Buffer.alloc(0)],
    ['an unknown domain', linkEntry('delivery-evidence/other' as never, FIRST_PREVIOUS, header)],
    ['no end of the domain', Buffer.from('delivery-evidence/trail')],
    ['another version', Buffer.from(link.toString('latin1').replace('\0\x02', '\0\x01'), 'latin1')],
    ['a previous hash that is too short', linkEntry('delivery-evidence/trail', Buffer.alloc(31), header)],
    ['JSON with white space', Buffer.concat([link.subarray(0, -1), Buffer.from(' }')])],
    ['members in another order', Buffer.from('{"kind":"hashedrekord","apiVersion":"0.0.2"}')],
    ['a number of 0', withHeader({ number: 0 })],
    ['a subject of another domain', withHeader({ subject: { environment: 'e' } })],
    ['an unknown member', withHeader({ text: 'anything' })],
    ['a commitment that is no hash', withHeader({ commitments: { moment: 'ab' } })],
    ['a statement of another kind', bytesOf({ ...statement, kind: 'dsse' })],
  ])('refuses %s', (_, bytes) => {
    expect(() => parseEntry(bytes)).toThrow(MalformedEntry);
  });
});
