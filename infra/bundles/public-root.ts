import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

interface Seeds {
  [repository: string]: { targets: Readonly<Record<string, string>> };
}

const TARGET = 'trusted_root.json';

/**
 * Keeps of the seeds of `@sigstore/tuf` what `shared/signatures/public-root.ts` reads, the public trust root. The rest, half of the file,
 * is for updates over a network.
 */
export const publicRootOnly: Plugin = {
  name: 'public-root-only',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]@sigstore[\\/]tuf[\\/]seeds\.json$/ }, ({ path }) => {
      const seeds: Seeds = JSON.parse(readFileSync(path, 'utf8'));
      const kept = Object.entries(seeds).map(([name, { targets }]) => [
        name,
        { targets: { [TARGET]: targets[TARGET] } },
      ]);
      return { contents: JSON.stringify(Object.fromEntries(kept)), loader: 'json' };
    });
  },
};
