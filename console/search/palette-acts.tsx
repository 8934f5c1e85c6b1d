import { useQueryClient } from '@tanstack/react-query';
import { CatchBoundary, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { type FoundPage, findPage, type PageName } from '#shared/console/pages.ts';
import { signOut, useMay } from '../account/user.ts';
import { ApiProblem } from '../client/api-problem.ts';
import { loadChunk } from '../client/new-version.ts';
import { addressOf } from '../client/operations.ts';
import { setPreference } from '../client/preferences.ts';
import { read } from '../client/query-client.ts';
import { newFlow } from '../flow/forms.ts';
import type { Write } from '../parts/form/model/forms.ts';
import { ErrorPanel } from '../parts/page/error-panel.tsx';
import { accounts } from '../people/operations.ts';
import type { Route } from '../routes/route.ts';
import { parseSearch, type SearchShape, searchFromText } from '../routes/search-params.ts';
import { ROUTES } from '../routes/table.ts';
import { trustForm } from '../settings/trust-forms.ts';
import type { Act, Choice } from './model/palette.ts';
import { actionsFor, type Shown } from './model/palette-actions.ts';

const FormDialog = lazy(() => loadChunk(() => import('../parts/form/form-dialog.tsx')));

/** What the page that is shown offers to the actions of the palette. */
export function useShown(org: string | undefined): Shown {
  const mayMakeFlows = useMay(org ?? '', 'member');
  const mayMakeTrusts = useMay(org ?? '', 'admin');
  const page = findPage(decodeURIComponent(location.pathname));
  return {
    org,
    mayMakeFlows: org !== undefined && mayMakeFlows,
    mayMakeTrusts: org !== undefined && mayMakeTrusts,
    environment: page?.params['env'] ?? null,
    address: location.href,
    call: page ? callOf(page) : null,
  };
}

/** Path and query of the call that a page cannot do without; null for pages that need none. */
function callOf({ name, params }: FoundPage): string | null {
  if (!Object.hasOwn(ROUTES, name)) return null;
  // The table of routes has the name, and each route takes the parameters of its own address.
  const { reads, search } = ROUTES[name as keyof typeof ROUTES] as unknown as Route<PageName, SearchShape>;
  const [first] = reads(params, parseSearch(search, searchFromText(location.search)));
  if (!first) return null;
  const [path, ofPath, query] = first.queryKey;
  return typeof path === 'string' ? addressOf(path, Object(ofPath), Object(query)) : null;
}

/** The group of the actions that fit a text; none if no action fits. */
export function actionChoices(text: string, shown: Shown): { value: 'Actions'; items: Choice[] }[] {
  const items = actionsFor(text.trim(), shown);
  return items.length === 0 ? [] : [{ value: 'Actions', items }];
}

/** Does what a person chose. Copying leaves the palette open, because it says there that it was done. */
export function useAct(
  open: (form: Write) => void,
  say: (done: string) => void,
  close: () => void,
): (act: Act, org: string | undefined) => void {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (act, org) => {
    switch (act.do) {
      case 'new-flow':
        if (org !== undefined) open(newFlow(org));
        return;
      case 'new-trust':
        if (org === undefined) return;
        // The form offers the service accounts that a trust may name.
        void queries.ensureQueryData(read(accounts, { org })).then(
          (known) => open(trustForm(org, known)),
          (error: unknown) => say(error instanceof ApiProblem ? error.message : 'The form cannot be shown.'),
        );
        return;
      case 'copy':
        navigator.clipboard.writeText(act.text).then(
          () => say(act.done),
          () => say('The browser does not let this page copy.'),
        );
        return;
      case 'theme':
        setPreference('theme', act.theme);
        return close();
      case 'sign-out':
        void signOut().then(() => navigate({ to: '/-/sign-in' }));
        return close();
    }
  };
}

/** The form of an action, in the place of the palette. */
export const PaletteForm = ({ write, onClose }: { write: Write; onClose: () => void }) => (
  <CatchBoundary getResetKey={() => write.button} errorComponent={ErrorPanel}>
    <Suspense fallback={null}>
      <FormDialog write={write} onClose={onClose} onDone={onClose} />
    </Suspense>
  </CatchBoundary>
);
