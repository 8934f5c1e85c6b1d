import { curlOf } from '../../model/commands.ts';
import type { Choice } from './palette.ts';

/** What the actions depend on. */
export interface Shown {
  org: string | undefined;
  mayMakeFlows: boolean;
  mayMakeTrusts: boolean;
  /** Environment of the page that is shown; null on other pages. */
  environment: string | null;
  /** Address of the page that is shown. */
  address: string;
  /** Path and query of the call whose answer the page shows; null if it shows none. */
  call: string | null;
}

/** Other words by which a person may look for an action. */
const WORDS: Readonly<Record<string, string>> = {
  'new-flow': 'create add',
  'new-trust': 'create add pipeline keyless oidc',
  compare: 'difference changed',
  'copy-address': 'link url',
  'copy-curl': 'api',
  'theme-light': 'appearance',
  'theme-dark': 'appearance',
  'theme-system': 'appearance',
  'sign-out': 'log out',
};

/** The actions that have every word of a text in their labels or words. Without a text all of them. */
export function actionsFor(text: string, shown: Shown): Choice[] {
  const wanted = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return allActions(shown).filter(({ key, label }) => {
    const words = `${label} ${WORDS[key] ?? ''}`.toLowerCase();
    return wanted.every((word) => words.includes(word));
  });
}

const action = (key: string, label: string, hint: string, to: Choice['to']): Choice => ({
  key,
  label,
  hint,
  group: 'Actions',
  to,
});

function allActions({ org, mayMakeFlows, mayMakeTrusts, environment, address, call }: Shown): Choice[] {
  const copy = (text: string, done: string): Choice['to'] => ({ act: { do: 'copy', text, done } });
  const theme = (theme: 'system' | 'light' | 'dark'): Choice['to'] => ({ act: { do: 'theme', theme } });
  return [
    ...(mayMakeFlows ? [action('new-flow', 'New flow', 'form', { act: { do: 'new-flow' } })] : []),
    ...(mayMakeTrusts ? [action('new-trust', 'New trust', 'form', { act: { do: 'new-trust' } })] : []),
    ...(org === undefined ? [] : [compareAction(org, environment)]),
    action('copy-address', 'Copy the address of this page', 'copy', copy(address, 'The address is copied.')),
    ...(call === null
      ? []
      : [
          action(
            'copy-curl',
            'Copy the curl command of this page',
            'copy',
            copy(curlOf(new URL(address).origin, call), 'The command is copied.'),
          ),
        ]),
    action('theme-light', 'Light theme', 'appearance', theme('light')),
    action('theme-dark', 'Dark theme', 'appearance', theme('dark')),
    action('theme-system', 'Theme of the system', 'appearance', theme('system')),
    action('sign-out', 'Sign out', 'account', { act: { do: 'sign-out' } }),
  ];
}

const compareAction = (org: string, environment: string | null): Choice =>
  action(
    'compare',
    environment === null ? 'Compare snapshots' : `Compare ${environment} with its snapshot before`,
    'page',
    {
      page: 'compare',
      params: { org },
      ...(environment !== null && { search: { a: `${environment}~1`, b: environment } }),
    },
  );
