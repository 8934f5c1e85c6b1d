import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { close, listen, portOf } from '#infra/local/ports.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { publicRootText } from '#shared/signatures/public-root.ts';
import type { OwnRoot } from '#test/shared/signatures/own-root.ts';

/** A repository of The Update Framework with keys of its own, served over HTTP on this machine. */

interface TufKey {
  id: string;
  privateKey: KeyObject;
  described: object;
}

export function newTufKey(): TufKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const described = {
    keytype: 'ed25519',
    scheme: 'ed25519',
    keyval: { public: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex') },
  };
  return { id: hash('sha256', canonicalJson(described)), privateKey, described };
}

const DAY = 86_400_000;
const expiry = (days: number): string => `${new Date(Date.now() + days * DAY).toISOString().slice(0, 19)}Z`;

/** The public root of the package, and everything of an own root beside it. */
export function extendedRoot(own: OwnRoot, changed: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const shipped: Record<string, unknown> = JSON.parse(publicRootText());
  const mine = own.json();
  const both = (name: string) => [...(shipped[name] as unknown[]), ...(mine[name] as unknown[])];
  const lists = ['tlogs', 'ctlogs', 'certificateAuthorities', 'timestampAuthorities'];
  return { ...shipped, ...Object.fromEntries(lists.map((name) => [name, both(name)])), ...changed };
}

interface Published {
  /** Text of the root; absent: the repository has none. */
  target?: string;
  /** Version of all metadata but those of roots. */
  version: number;
  /** In how many days the newest metadata expire. */
  days?: number;
  /** Signs the newest metadata instead of the key that the roots name. */
  signedBy?: TufKey;
}

export class TufRepository {
  readonly files = new Map<string, Buffer>();
  readonly asked: string[] = [];
  /** Answers instead of the files. */
  answer:
    | ((path: string) => { status: number; headers?: Record<string, string>; body?: string | Buffer } | undefined)
    | undefined;
  address = '';
  #root = newTufKey();
  readonly online = newTufKey();
  #roots = 0;

  constructor() {
    this.addRoot();
  }

  /** The first metadata of roots, which clients trust from the beginning. */
  get first(): string {
    return String(this.files.get('/1.root.json'));
  }

  /** Adds metadata of roots, signed by their key and the one before. */
  addRoot(key = this.#root): void {
    this.#roots += 1;
    const role = (...keys: TufKey[]) => ({ keyids: keys.map(({ id }) => id), threshold: 1 });
    const signed = {
      _type: 'root',
      spec_version: '1.0.31',
      version: this.#roots,
      expires: expiry(365),
      consistent_snapshot: true,
      keys: Object.fromEntries([key, this.online].map(({ id, described }) => [id, described])),
      roles: {
        root: role(key),
        targets: role(this.online),
        snapshot: role(this.online),
        timestamp: role(this.online),
      },
    };
    this.#put(`${this.#roots}.root.json`, signed, [...new Set([this.#root, key])]);
    this.#root = key;
  }

  publish({ target, version, days = 7, signedBy = this.online }: Published): void {
    const bytes = target === undefined ? undefined : Buffer.from(target);
    const common = { spec_version: '1.0.31', version };
    const targets = bytes
      ? { 'trusted_root.json': { length: bytes.length, hashes: { sha256: hash('sha256', bytes) } } }
      : {};
    if (bytes) this.files.set(`/targets/${hash('sha256', bytes)}.trusted_root.json`, bytes);
    this.#put(`${version}.targets.json`, { _type: 'targets', ...common, expires: expiry(90), targets }, [this.online]);
    const meta = { 'targets.json': { version } };
    this.#put(`${version}.snapshot.json`, { _type: 'snapshot', ...common, expires: expiry(90), meta }, [this.online]);
    const newest = { _type: 'timestamp', ...common, expires: expiry(days), meta: { 'snapshot.json': { version } } };
    this.#put('timestamp.json', newest, [signedBy]);
  }

  #put(name: string, signed: object, keys: readonly TufKey[]): void {
    const signatures = keys.map(({ id, privateKey }) => ({
      keyid: id,
      sig: sign(undefined, Buffer.from(canonicalJson(signed)), privateKey).toString('hex'),
    }));
    this.files.set(`/${name}`, Buffer.from(JSON.stringify({ signatures, signed })));
  }

  /** Serves the files on this machine. @returns what ends that */
  async serve(): Promise<() => Promise<void>> {
    const server = createServer(({ url = '' }, response) => {
      this.asked.push(url);
      const given = this.answer?.(url);
      const file = this.files.get(url);
      if (given) response.writeHead(given.status, given.headers).end(given.body);
      else if (file) response.writeHead(200).end(file);
      else response.writeHead(404).end();
    });
    await listen(server, 0, '127.0.0.1');
    this.address = `http://127.0.0.1:${portOf(server)}`;
    return () => close(server);
  }
}
