import { Autocomplete } from '@base-ui/react/autocomplete';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useUser } from '../account/user.ts';
import { read } from '../client/query-client.ts';
import { useSavedViews } from '../client/saved-views.ts';
import { environments } from '../environment/operations.ts';
import { flows } from '../flow/operations.ts';
import { isPackageUrl } from '../model/component-question.ts';
import { allOf } from '../model/pages.ts';
import type { Write } from '../parts/form/model/forms.ts';
import { GROUPS } from '../parts/frame/rail.tsx';
import { Text } from '../parts/text/text.tsx';
import { accounts, members } from '../people/operations.ts';
import { targetOf } from '../routes/target.ts';
import {
  accountChoices,
  type Choice,
  componentChoices,
  foundChoices,
  knownChoices,
  peopleChoices,
  searchChoice,
  withoutDoubles,
} from './model/palette.ts';
import { search } from './operations.ts';
import styles from './palette.module.css';
import { actionChoices, PaletteForm, useAct, useShown } from './palette-acts.tsx';
import { recentPages } from './recent.ts';
import { takeKeys } from './typed-ahead.ts';

/** How long the service may be asked less often than keys are pressed, in milliseconds. */
const PAUSE = 120;

/** Find by digest, commit or name, and go anywhere. */
export default function Palette({ org, onClose }: { org: string | undefined; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  const router = useRouter();
  const [text, setText] = useState('');
  const groups = useChoices(org, text.trim());

  // The field takes the keys over in one step: before it, they are collected; after it, the field has the focus.
  useLayoutEffect(() => {
    const { current } = dialog;
    if (current && !current.open) current.showModal();
    current?.querySelector('input')?.focus();
    const before = takeKeys();
    setText((text) => text + before);
    return () => current?.close();
  }, []);

  const [form, setForm] = useState<Write>();
  const [done, setDone] = useState('');
  const shown = useShown(org);
  const actions = actionChoices(text, shown);
  const act = useAct((write) => setForm(write), setDone, onClose);

  const go = ({ to }: Choice): void => {
    if ('act' in to) {
      act(to.act, org);
      return;
    }
    onClose();
    if ('href' in to) router.history.push(to.href);
    else {
      void navigate(targetOf(to.page, to.params, to.search));
    }
  };

  if (form) return <PaletteForm write={form} onClose={onClose} />;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog; a click beside it is one more way
    <dialog
      ref={dialog}
      className={styles['dialog']}
      aria-label="Search and go"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {/* The content security policy forbids the styles that the library would add to the page. */}
      <CSPProvider disableStyleElements>
        <div className={styles['box']}>
          <Autocomplete.Root
            inline
            open
            items={[...groups, ...actions, ...lastGroup(org, text.trim(), groups)]}
            mode="none"
            value={text}
            onValueChange={setText}
            autoHighlight="always"
            keepHighlight
            // The types of the library take the groups for the items.
            itemToStringValue={(choice) => (choice as unknown as Choice).label}
          >
            <Autocomplete.Input
              className={styles['input']}
              placeholder="Digest, commit or name"
              aria-label="Digest, commit or name"
              spellCheck={false}
              autoFocus
            />
            <Autocomplete.List className={styles['list']}>
              {(group: Group) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className={styles['label']}>{group.value}</Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(choice: Choice) => (
                      <Autocomplete.Item
                        key={choice.key}
                        value={choice}
                        className={styles['item']}
                        onClick={() => go(choice)}
                      >
                        <span className={styles['name']}>
                          <Text>{choice.label}</Text>
                        </span>
                        <span className={styles['hint']}>
                          <Text>{choice.hint}</Text>
                        </span>
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
          <p className={styles['foot']}>
            <span role="status">{done}</span>
            <span>
              <kbd>↑</kbd> <kbd>↓</kbd> choose
            </span>
            <span>
              <kbd>Enter</kbd> go
            </span>
            <span>
              <kbd>Esc</kbd> close
            </span>
          </p>
        </div>
      </CSPProvider>
    </dialog>
  );
}

interface Group {
  value: Choice['group'];
  items: Choice[];
}

/** What a text leads to: names that are known at once, what the service finds, then pages. */
function useChoices(org: string | undefined, text: string): Group[] {
  const asked = useDebounced(useDeferredValue(text));
  const ofPeople = { enabled: org !== undefined && asked !== '', staleTime: 60_000 };
  const [people, machines, known, names, found] = [
    useQuery({ ...read(members, { org: org ?? '' }), ...ofPeople }).data,
    useQuery({ ...read(accounts, { org: org ?? '' }), ...ofPeople }).data,
    useQuery({ ...read(environments, { org: org ?? '' }), enabled: org !== undefined, staleTime: 60_000 }).data,
    useQuery({ ...read(flows, { org: org ?? '' }), enabled: org !== undefined, staleTime: 60_000 }).data,
    useQuery({
      ...read(search, { org: org ?? '' }, { q: asked }),
      enabled: org !== undefined && asked !== '',
      placeholderData: keepPreviousData,
    }).data,
  ];
  const list = (answer: { name: string }[] | undefined) => answer?.map(({ name }) => name) ?? [];
  const pages =
    org === undefined ? [] : pageChoices(org).filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()));
  const local =
    org === undefined
      ? []
      : knownChoices(
          org,
          text,
          list(names && [...allOf(names, 'data')]),
          list(known && [...allOf(known, 'environments')]),
        );
  const remote = org === undefined || text === '' ? [] : foundChoices(org, found);
  const persons =
    org === undefined ? [] : [...peopleChoices(org, text, list(people)), ...accountChoices(org, text, list(machines))];
  const recent = text === '' ? recentChoices() : [];
  const saved = useSavedViews(useUser()?.name, org)
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map(({ name, address }): Choice => {
      return { key: `saved ${address}`, label: name, hint: 'saved view', group: 'Saved', to: { href: address } };
    });
  const groups: Group[] = [
    { value: 'Found', items: withoutDoubles([...local, ...persons, ...remote]) },
    { value: 'Saved', items: saved },
    { value: 'Recent', items: recent },
    { value: 'Pages', items: pages },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

/** The search for the text comes last, so that Enter takes what has the text in its name: also an action. */
function lastGroup(org: string | undefined, text: string, groups: readonly Group[]): Group[] {
  if (org === undefined || text === '') return [];
  const choice = searchChoice(org, text);
  const isThere = groups.some(({ items }) => items.some(({ key }) => key === choice.key));
  const items = [...(isThere ? [] : [choice]), ...componentChoices(org, text)];
  // No record has a name like a package URL.
  if (isPackageUrl(text)) items.reverse();
  return items.length === 0 ? [] : [{ value: 'Search', items }];
}

/** Pages that the rail leads to by a tab of another page. */
const BY_TAB = [
  { page: 'watches', label: 'Watches' },
  { page: 'trust-roots', label: 'Trust roots' },
  { page: 'recalls', label: 'Recalls' },
] as const;

const pageChoices = (org: string): Choice[] =>
  [...GROUPS.flat(), ...BY_TAB].map(({ page, label }) => ({
    key: `page ${page}`,
    label,
    hint: 'page',
    group: 'Pages',
    to: { page, params: { org } },
  }));

const recentChoices = (): Choice[] =>
  recentPages()
    .slice(1)
    .map(({ title, href }) => ({
      key: `recent ${href}`,
      label: title,
      hint: 'shown before',
      group: 'Recent',
      to: { href },
    }));

/** A text that follows another one after a pause. */
function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
