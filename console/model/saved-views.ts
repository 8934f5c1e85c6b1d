import { findPage, type PageName } from '#shared/console/pages.ts';

/** The address of a page that a person gave a name. */
export interface SavedView {
  /** Who saved it: several people can use one browser. */
  owner: string;
  name: string;
  /** Path and query. */
  address: string;
}

/** The most views that a browser keeps. The oldest ones go first. */
export const MOST_VIEWS = 50;
/** The longest name of a view, in characters. */
export const LONGEST_NAME = 60;
const LONGEST_ADDRESS = 2000;

/** Where an address leads. */
interface Place {
  page: PageName;
  params: Readonly<Record<string, string>>;
  search: Readonly<Record<string, string>>;
}

/** @returns null if the address is none of a page of this console */
export function placeOf(address: string): Place | null {
  // The base only completes the address: an address that leads to another host has no page.
  if (!/^\/(?!\/)/.test(address) || !URL.canParse(address, 'http://console.invalid')) return null;
  const url = new URL(address, 'http://console.invalid');
  const path = decoded(url.pathname);
  const found = url.host === 'console.invalid' && path !== null ? findPage(path) : undefined;
  return found ? { page: found.name, params: found.params, search: Object.fromEntries(url.searchParams) } : null;
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** The views in a value of the browser's storage. What is no view is left out. */
export function parseViews(value: unknown): SavedView[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isView).slice(-MOST_VIEWS);
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { owner, name, address }: Partial<Record<keyof SavedView, unknown>> = value;
  if (typeof owner !== 'string' || typeof name !== 'string' || typeof address !== 'string') return false;
  return name !== '' && name.length <= LONGEST_NAME && address.length <= LONGEST_ADDRESS && placeOf(address) !== null;
}

/** Adds a view. A person has one view of an address, so a second name replaces the first one. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return parseViews([...withoutView(views, view), { ...view, name: view.name.trim().slice(0, LONGEST_NAME) }]);
}

export const withoutView = (views: readonly SavedView[], { owner, address }: Omit<SavedView, 'name'>): SavedView[] =>
  views.filter((one) => one.owner !== owner || one.address !== address);

/** The views that a person has of pages of an organization, by name. */
export const viewsIn = (views: readonly SavedView[], owner: string, org: string): SavedView[] =>
  views
    .filter((one) => one.owner === owner && placeOf(one.address)?.params['org'] === org)
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
