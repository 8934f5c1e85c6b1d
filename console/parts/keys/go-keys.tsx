import { useNavigate } from '@tanstack/react-router';
import type { PageName } from '#shared/console/pages.ts';
import { targetOf } from '../../routes/target.ts';
import { type Shortcut, useKeys } from './keyboard.tsx';

const PLACES: readonly [key: string, page: PageName, name: string][] = [
  ['h', 'home', 'home'],
  ['e', 'environments', 'environments'],
  ['f', 'flows', 'flows'],
  ['a', 'artifacts', 'artifacts'],
  ['t', 'attestations', 'attestations'],
  ['p', 'policies', 'policies'],
  ['d', 'deliveries', 'deliveries'],
];

/** `g h`, `g e` and so on go to the pages of the organization; `y` copies the address. */
export function useGoKeys(org: string | undefined): void {
  const navigate = useNavigate();
  const go = (page: PageName): void => {
    if (org !== undefined) void navigate(targetOf(page, { org }));
  };
  useKeys({
    ...Object.fromEntries(
      PLACES.map(([key, page, name]): [string, Shortcut] => [
        `g ${key}`,
        { does: `Go to ${name}`, run: () => go(page) },
      ]),
    ),
    y: {
      does: 'Copy the address of this page',
      run: () => void navigator.clipboard.writeText(location.href).catch(noClipboard),
    },
  });
}

/** The browser forbids the clipboard. The address stands in the browser's own line. */
function noClipboard(error: unknown): void {
  if (!(error instanceof DOMException)) throw error;
}
