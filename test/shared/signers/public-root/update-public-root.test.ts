import { hash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { publicRootText } from '#shared/signatures/public-root.ts';
import { guardedFetch } from '#shared/signers/public-root/guarded-fetch.ts';
import { type Updated, updatePublicRoot } from '#shared/signers/public-root/update-public-root.ts';
import { OwnRoot } from '#test/shared/signatures/own-root.ts';
import { extendedRoot, newTufKey, TufRepository } from './tuf-repository.ts';

/** rules/verified-evidence.md#refresh */

const own = new OwnRoot();
const later = JSON.stringify(extendedRoot(own));
const LOOPBACK = ['127.0.0.0/8'];

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function served(): Promise<TufRepository> {
  const repository = new TufRepository();
  ends.push(await repository.serve());
  return repository;
}

type Last = Exclude<Updated, { refused: string }>;

/** Updates from a repository, after the update `last`. */
const update = (repository: TufRepository, last?: Last, { networks = LOOPBACK, millis = 5_000 } = {}) =>
  updatePublicRoot({
    repository: repository.address,
    firstMetadata: repository.first,
    metadata: last?.metadata ?? {},
    before: last?.root,
    fetchFile: guardedFetch(addressGuard(networks), millis),
  });

async function updated(...given: Parameters<typeof update>): Promise<Last> {
  const result = await update(...given);
  if ('refused' in result) throw new Error(result.refused);
  return result;
}

describe('an update of the public root', () => {
  test('reads the root, its metadata and the root of the package', async () => {
    const repository = await served();
    repository.publish({ target: later, version: 1 });
    const { root, metadata, shipped } = await updated(repository);
    expect(root).toEqual({ digest: hash('sha256', later), text: later });
    expect(shipped).toEqual({ digest: hash('sha256', publicRootText()), text: publicRootText() });
    expect(Object.keys(metadata).toSorted()).toEqual(['root', 'snapshot', 'targets', 'timestamp']);
    expect(repository.asked).toEqual([
      '/2.root.json',
      '/timestamp.json',
      '/1.snapshot.json',
      '/1.targets.json',
      `/targets/${root.digest}.trusted_root.json`,
    ]);
  });

  test('makes two requests if nothing has changed', async () => {
    const repository = await served();
    repository.publish({ target: later, version: 1 });
    const last = await updated(repository);
    repository.asked.length = 0;
    expect(await updated(repository, last)).toEqual(last);
    expect(repository.asked).toEqual(['/2.root.json', '/timestamp.json']);
  });

  test('follows the chain of keys, and continues it', async () => {
    const repository = await served();
    repository.publish({ target: publicRootText(), version: 1 });
    const last = await updated(repository);
    repository.addRoot(newTufKey());
    repository.addRoot(newTufKey());
    repository.publish({ target: later, version: 2 });
    const next = await updated(repository, last);
    expect(next.root.digest).toBe(hash('sha256', later));
    repository.asked.length = 0;
    await updated(repository, next);
    expect(repository.asked[0]).toBe('/4.root.json');
  });

  const shippedJson: Record<string, unknown[]> = JSON.parse(publicRootText());

  /** Changes a repository that was read once at version 2, so that the next update has to be refused. */
  const REFUSED: [string, (repository: TufRepository) => void, RegExp][] = [
    ['expired metadata', (it) => it.publish({ target: later, version: 3, days: -1 }), /timestamp\.json is expired$/],
    [
      'metadata before those of the last update',
      (it) => it.publish({ target: later, version: 1 }),
      /version 1 is less than current version 2$/,
    ],
    [
      'metadata with the signature of a stranger',
      (it) => it.publish({ target: later, version: 3, signedBy: newTufKey() }),
      /^timestamp was signed by 0\/1 keys$/,
    ],
    ['a repository without the root', (it) => it.publish({ version: 3 }), /^The repository has no trusted_root\.json$/],
    [
      'a root with another byte than was signed',
      (it) => {
        it.publish({ target: `${later} `, version: 3 });
        for (const [name] of it.files) if (name.startsWith('/targets/')) it.files.set(name, Buffer.from(`${later}\n`));
      },
      /^Expected hash /,
    ],
    [
      'a root that lost the key of a log',
      (it) => it.publish({ target: JSON.stringify(extendedRoot(own, { tlogs: own.json()['tlogs'] })), version: 3 }),
      /^The new root lacks the log 'https:\/\/rekor\.sigstore\.dev'/,
    ],
    [
      'a root that lost the log of the last refresh',
      (it) => it.publish({ target: publicRootText(), version: 3 }),
      /^The new root lacks the log 'https:\/\/log\.example', the log of certificates 'https:\/\/ct\.example', the certificate authority \w{16}, the timestamp authority \w{16}$/,
    ],
    [
      'a root that trusts a key for longer than the last one',
      (it) => {
        const [first, ...others] = extendedRoot(own)['ctlogs'] as { publicKey: { validFor: object } }[];
        if (!first) throw new Error('The package has no log of certificates');
        const { start } = first.publicKey.validFor as { start: string };
        const ctlogs = [{ ...first, publicKey: { ...first.publicKey, validFor: { start } } }, ...others];
        it.publish({ target: JSON.stringify(extendedRoot(own, { ctlogs })), version: 3 });
      },
      /^The new root lacks the log of certificates 'https:\/\/ctfe\.sigstore\.dev\/test'$/,
    ],
    [
      'a text that is no root',
      (it) => it.publish({ target: '{"mediaType": "text/plain"}', version: 3 }),
      /which is none of a trust root$/,
    ],
    [
      'a root whose log does not say since when its key is valid',
      (it) => {
        const [log = {}] = own.json()['tlogs'] as { publicKey?: object }[];
        const open = { ...log, publicKey: { ...log.publicKey, validFor: undefined } };
        it.publish({
          target: JSON.stringify(extendedRoot(own, { tlogs: [...(shippedJson['tlogs'] ?? []), open] })),
          version: 3,
        });
      },
      /^The key of the log 'https:\/\/log\.example' in the trust root does not say since when it is valid$/,
    ],
    [
      'a repository that fails',
      (it) => {
        it.answer = () => ({ status: 500 });
      },
      /\/2\.root\.json answered 500$/,
    ],
    [
      'a redirect',
      (it) => {
        it.answer = () => ({ status: 302, headers: { location: it.address } });
      },
      /answered 302$/,
    ],
    [
      'an answer without an end',
      (it) => {
        it.answer = () => ({ status: 200, body: Buffer.alloc(70_000, ' ') });
      },
      /: The answer has 65536 bytes or more$/,
    ],
    [
      'an answer that is no JSON',
      (it) => {
        it.answer = () => ({ status: 200, body: '<html>' });
      },
      /is not valid JSON$/,
    ],
  ];

  test.each(REFUSED)('refuses %s', async (_, change, sentence) => {
    const repository = await served();
    repository.publish({ target: later, version: 2 });
    const last = await updated(repository);
    change(repository);
    expect(await update(repository, last)).toEqual({ refused: expect.stringMatching(sentence) });
  });

  test('ends at a host that does not answer', async () => {
    const repository = new TufRepository();
    const end = await repository.serve();
    await end();
    expect(await update(repository)).toEqual({
      refused: `${repository.address}/2.root.json: The target refused the connection`,
    });
  });

  test('ends after its time limit', async () => {
    const repository = await served();
    repository.publish({ target: later, version: 1 });
    const slow = await update(repository, undefined, { millis: 0 });
    expect(slow).toEqual({ refused: `${repository.address}/2.root.json: No answer in time` });
  });

  test('reaches no address that the guard refuses', async () => {
    const repository = await served();
    repository.publish({ target: later, version: 1 });
    const refused = await update(repository, undefined, { networks: [] });
    expect(refused).toEqual({ refused: `${repository.address}/2.root.json: The address of the target is not https` });
    expect(repository.asked).toEqual([]);
  });

  test('trusts the metadata that the package ships at first, so that a repository of strangers is refused', async () => {
    const repository = await served();
    repository.addRoot();
    const sixteen = repository.files.get('/2.root.json');
    repository.answer = (path) => (path.endsWith('.root.json') && sixteen ? { status: 200, body: sixteen } : undefined);
    const result = await updatePublicRoot({
      repository: repository.address,
      metadata: {},
      before: undefined,
      fetchFile: guardedFetch(addressGuard(LOOPBACK)),
    });
    expect(result).toEqual({ refused: expect.stringMatching(/^root was signed by 0\/3 keys$/) });
  });
});
