import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import seeds from '@sigstore/tuf/seeds.json' with { type: 'json' };
import { type Fetcher, Updater } from 'tuf-js';
// The client knows the end of the chain of roots by the class of this error, and its package exports it nowhere else.
import { DownloadHTTPError, DownloadLengthMismatchError } from 'tuf-js/dist/error.js';
import { presentPublicRoot, publicRoot, publicRootText, type RefreshedRoot } from '#shared/signatures/public-root.ts';
import { lackedBy, readTrustRoot } from '#shared/signatures/trust-root.ts';

/**
 * Reads the public root from its repository by The Update Framework (rules/verified-evidence.md#refresh). The function that refreshes loads
 * this file at its first use, because it contains a client of this framework. So it hands out plain data, and its errors for the caller
 * are sentences.
 */

/** Name of the root in the repository. */
const TARGET = 'trusted_root.json';
/** Files of metadata that a later update continues: they refuse what is older. */
const METADATA = ['root', 'timestamp', 'snapshot', 'targets'] as const;

/** Reads one file of the repository. @throws Error whose message is a sentence, if there is no whole answer */
export type FetchFile = (address: string) => Promise<{ status: number; bytes: Buffer }>;

interface Update {
  /** Address of the repository. */
  repository: string;
  /** Its metadata as the last update verified them, by name; empty if there was none. */
  metadata: Readonly<Record<string, string>>;
  /** The root of the last update. */
  before: RefreshedRoot | undefined;
  /** The metadata that are trusted if there are none of an update. @default those that the package ships for the public repository */
  firstMetadata?: string | undefined;
  fetchFile: FetchFile;
}

/** A root that may replace the one before, with the metadata that the next update continues; or why there is none. */
export type Updated =
  | { root: RefreshedRoot; metadata: Record<string, string>; shipped: RefreshedRoot }
  | { refused: string };

const shippedMetadata = (): string =>
  Buffer.from(seeds['https://tuf-repo-cdn.sigstore.dev']['root.json'], 'base64').toString('utf8');

/**
 * Updates the public root. Signatures, expiry and versions of the metadata are checked by the client of the framework. A root that cannot be
 * read, or that lacks something of the root before, is refused.
 */
export async function updatePublicRoot({
  repository,
  metadata,
  before,
  firstMetadata = shippedMetadata(),
  fetchFile,
}: Update): Promise<Updated> {
  const folder = mkdtempSync(join(tmpdir(), 'public-root-'));
  try {
    const targets = join(folder, 'targets');
    mkdirSync(targets);
    for (const [name, text] of Object.entries({ root: firstMetadata, ...metadata })) {
      writeFileSync(join(folder, `${name}.json`), text);
    }
    if (before) writeFileSync(join(targets, TARGET), before.text);
    const updater = new Updater({
      metadataDir: folder,
      metadataBaseUrl: repository,
      targetDir: targets,
      targetBaseUrl: `${repository}/targets`,
      fetcher: fetcherOf(fetchFile, join(folder, 'download')),
    });
    const target = await updater.getTargetInfo(TARGET);
    if (!target) return { refused: `The repository has no ${TARGET}` };
    const file = (await updater.findCachedTarget(target)) ?? (await updater.downloadTarget(target));
    const text = readFileSync(file, 'utf8');
    const root = readTrustRoot(text);
    const lacked = lackedBy(root, presentPublicRoot(before));
    if (lacked.length > 0) return { refused: `The new root lacks ${lacked.join(', ')}` };
    return {
      root: { digest: root.digest, text },
      metadata: Object.fromEntries(METADATA.flatMap((name) => storedFile(folder, name))),
      shipped: { digest: publicRoot().digest, text: publicRootText() },
    };
  } catch (error) {
    // Whatever the repository sends can make the client throw. The caller logs the sentence, and an alarm counts the days.
    if (!(error instanceof Error)) throw error;
    return { refused: error.message };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function storedFile(folder: string, name: string): [string, string][] {
  const path = join(folder, `${name}.json`);
  return existsSync(path) ? [[name, readFileSync(path, 'utf8')]] : [];
}

/** Lets the client read files by the guarded way out alone. @param path where it puts a file that it asked for */
function fetcherOf(fetchFile: FetchFile, path: string): Fetcher {
  const read = async (address: string, most: number): Promise<Buffer> => {
    const { status, bytes } = await fetchFile(address);
    if (status !== 200) throw new DownloadHTTPError(`${address} answered ${status}`, status);
    if (bytes.length > most) throw new DownloadLengthMismatchError(`${address} has more than ${most} bytes`);
    return bytes;
  };
  return {
    downloadBytes: read,
    downloadFile: async (address, most, handle) => {
      writeFileSync(path, await read(address, most));
      return handle(path);
    },
  };
}
