import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { commitment } from '#shared/base/digests.ts';
import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { micros, plus } from '#shared/base/time.ts';
import type { StoredBody } from '#shared/bodies/bodies.ts';
import { sealLink } from '#shared/environments/records/chain.ts';
import type { Snapshot } from '#shared/environments/records/snapshots.ts';
import { type Summary, summaryText } from '#shared/environments/rules/summary.ts';
import { testId } from '#test/support/ids.ts';
import { firstBrokenSnapshot, isContentOf } from '#test/support/snapshot-chain.ts';

interface Vectors {
  org: OrganizationId;
  environment: EnvironmentId;
  links: {
    number: number;
    at: number;
    summary: Summary;
    summaryText: string;
    summarySalt: string;
    content: string;
    contentSalt: string;
    previous: string;
    hash: string;
  }[];
}

const vectors = JSON.parse(readFileSync(new URL('chain.vectors.json', import.meta.url), 'utf8')) as Vectors;
const { org, environment, links } = vectors;

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));

const snapshots: Snapshot[] = links.map(({ number, at, summary, summarySalt, content, contentSalt, previous }) => {
  const pledge = commitment(bytes(contentSalt), content);
  const place = { org, environment, number, at: micros(at) };
  return {
    index: number,
    sk: `S#${String(number).padStart(10, '0')}`,
    ...sealLink(place, summary, pledge, bytes(previous), () => bytes(summarySalt)),
  };
});

describe('the committed test vectors', () => {
  test('give every link, beginning with 32 zero bytes', () => {
    expect(links[0]?.previous).toBe('00'.repeat(32));
    for (const [i, { hash, previous }] of links.entries()) {
      expect(hex(snapshots[i]?.hash ?? new Uint8Array())).toBe(hash);
      if (i > 0) expect(previous).toBe(links[i - 1]?.hash);
    }
    expect(links.length).toBeGreaterThan(2);
  });

  test('can be recomputed from their texts alone', () => {
    const mac = (salt: string, text: string) => createHmac('sha256', bytes(salt)).update(text, 'utf8').digest('hex');
    for (const link of links) {
      const header =
        `{"at":${link.at},"commitments":{"content":"${mac(link.contentSalt, link.content)}",` +
        `"summary":"${mac(link.summarySalt, link.summaryText)}"},"kind":"snapshot","number":${link.number},` +
        `"org":"${org}","subject":{"environment":"${environment}"}}`;
      const covered = Buffer.concat([
        Buffer.from('delivery-evidence/environment', 'utf8'),
        Buffer.from([0x00, 0x02]),
        Buffer.from(link.previous, 'hex'),
        Buffer.from(header, 'utf8'),
      ]);
      expect(createHash('sha256').update(covered).digest('hex')).toBe(link.hash);
      expect(summaryText(link.summary)).toBe(link.summaryText);
    }
  });
});

describe('a chain of snapshots', () => {
  test('is verified if nothing was changed', () => {
    expect(firstBrokenSnapshot(org, environment, snapshots)).toBeNull();
    expect(firstBrokenSnapshot(org, environment, [])).toBeNull();
  });

  test.each<[string, (snapshot: Snapshot) => Snapshot]>([
    ['another state', (snapshot) => ({ ...snapshot, state: null })],
    ['another known state', (snapshot) => ({ ...snapshot, known: false })],
    ['another verdict', (snapshot) => ({ ...snapshot, compliant: !snapshot.compliant })],
    ['another number of events', (snapshot) => ({ ...snapshot, events: snapshot.events + 1 })],
    ['other numbers of events', (snapshot) => ({ ...snapshot, eventsBefore: snapshot.eventsBefore + 1 })],
    ['another time', (snapshot) => ({ ...snapshot, at: plus(snapshot.at, 1) })],
    ['another number', (snapshot) => ({ ...snapshot, index: snapshot.index + 1 })],
    ['another salt', (snapshot) => ({ ...snapshot, salt: new Uint8Array(32) })],
    ['another content', ({ pledges, ...rest }) => ({ ...rest, pledges: { ...pledges, content: new Uint8Array(32) } })],
    ['no summary', ({ pledges, ...rest }) => ({ ...rest, pledges: { content: pledges['content'] ?? rest.salt } })],
    ['another link before it', (snapshot) => ({ ...snapshot, previous: new Uint8Array(32) })],
    ['another hash', (snapshot) => ({ ...snapshot, hash: new Uint8Array(32) })],
  ])('is broken by %s', (_, change) => {
    const changed = snapshots.map((snapshot) => (snapshot.index === 2 ? change(snapshot) : snapshot));
    expect(firstBrokenSnapshot(org, environment, changed)).toBe(changed[1]?.index);
  });

  test('is broken by a missing snapshot, and belongs to its organization and environment', () => {
    expect(firstBrokenSnapshot(org, environment, snapshots.slice(1))).toBe(2);
    expect(firstBrokenSnapshot(testId('other'), environment, snapshots)).toBe(1);
    expect(firstBrokenSnapshot(org, testId('other'), snapshots)).toBe(1);
  });

  test('recognises the content of each snapshot', () => {
    for (const [i, { content, contentSalt }] of links.entries()) {
      const body = { salt: bytes(contentSalt) } as unknown as StoredBody;
      const matches = snapshots.map((snapshot) => isContentOf(snapshot, body, content));
      expect(matches).toEqual(snapshots.map((_, n) => n === i));
    }
  });
});
