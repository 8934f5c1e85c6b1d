import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import type { Request } from './request.ts';

/** One page of a list. */
interface PageOf<T> {
  page: number;
  perPage: number;
  /** Records in the whole list. */
  total: number;
  /** Records of this page. */
  items: readonly T[];
}

type Counted = Omit<PageOf<unknown>, 'items'>;
type Asked = Pick<Request, 'host' | 'path' | 'rawQuery'>;

const PageNumber = z.int().min(1);
const Count = z.int().min(0);

const Link = z.object({ href: z.string().describe('The address') }).meta({ id: 'Link' });

/** Addresses of neighbouring pages. Pages that do not exist are left out (rules/lists.md#page-links). */
const Links = z
  .object({
    self: Link.describe('Address of this record or page in the API'),
    first: Link.optional().describe('The first page'),
    prev: Link.optional().describe('The page before'),
    next: Link.optional().describe('The page after'),
    last: Link.optional().describe('The last page'),
  })
  .meta({ id: 'PageLinks' });
type Links = z.infer<typeof Links>;

/** Returns the number of pages that are not empty. */
export const pageCount = (total: number, perPage: number): number => (perPage > 0 ? Math.ceil(total / perPage) : 0);

/** Returns the absolute address of a request with some parameters replaced; null removes a parameter. */
function addressWith({ host, path, rawQuery }: Asked, replaced: Record<string, string | number | null>): string {
  const query = new URLSearchParams(rawQuery);
  for (const [name, value] of Object.entries(replaced)) {
    if (value === null) query.delete(name);
    else query.set(name, String(value));
  }
  return absolute(host, path) + (query.size > 0 ? `?${query}` : '');
}

/** Returns the absolute links of a page. They repeat the query as it was sent, with `page` and `per_page` filled in. */
export function pageLinks(request: Asked, { page, perPage, total }: Counted): Links {
  const pages = pageCount(total, perPage);
  const link = (number: number) => ({ href: addressWith(request, { page: number, per_page: perPage }) });
  return {
    self: link(page),
    first: link(1),
    ...(page > 1 && { prev: link(Math.min(page - 1, Math.max(1, pages))) }),
    ...(page < pages && { next: link(page + 1) }),
    last: link(Math.max(1, pages)),
  };
}

/** Many clients and proxies refuse headers of more than 8 KiB, and the caller chooses the query that links repeat. */
const LONGEST_LINK = 8_000;

/** Returns the header `Link` (RFC 8288), or none if there is nothing to link to. */
function linkHeader(links: Partial<Record<keyof Links, string | undefined>>): { Link?: string } {
  const present = Object.entries(links).filter(([, href]) => href !== undefined);
  const text = present.map(([rel, href]) => `<${href}>; rel="${rel}"`).join(', ');
  return text === '' || text.length > LONGEST_LINK ? {} : { Link: text };
}

const placeHeaders = ({ page, perPage }: Pick<Counted, 'page' | 'perPage'>) => ({
  'X-Current-Page': String(page),
  'X-Per-Page': String(perPage),
});

/** Headers of a page of a list with a total. `Link` is sent only if there are several pages (rules/lists.md#page-headers). */
export function pageHeaders(request: Asked, page: Counted): Record<string, string> {
  const pages = pageCount(page.total, page.perPage);
  const { self: _, ...links } = pageLinks(request, page);
  const addresses = Object.fromEntries(Object.entries(links).map(([rel, { href }]) => [rel, href]));
  return {
    ...placeHeaders(page),
    'X-Total-Count': String(page.total),
    'X-Total-Pages': String(pages),
    ...(pages > 1 && linkHeader(addresses)),
  };
}

/** Headers of a page of a list whose total nobody counted. */
export function uncountedPageHeaders(
  request: Asked,
  { page, perPage, hasNext }: { page: number; perPage: number; hasNext: boolean },
): Record<string, string> {
  const address = (number: number) => addressWith(request, { page: number, per_page: perPage });
  const neighbours = {
    ...(page > 1 && { first: address(1), prev: address(page - 1) }),
    ...(hasNext && { first: address(1), next: address(page + 1) }),
  };
  return { ...placeHeaders({ page, perPage }), ...linkHeader(neighbours) };
}

/** Headers of a page of a list with cursors. @param next cursor of the next page; null on the last page */
export const cursorHeaders = (request: Asked, next: string | null): Record<string, string> =>
  next === null && !new URLSearchParams(request.rawQuery).has('cursor')
    ? {}
    : linkHeader({
        first: addressWith(request, { cursor: null }),
        ...(next !== null && { next: addressWith(request, { cursor: next }) }),
      });

/** Returns the successful answer for a page of a list, with the headers that every such answer has. */
export const pageAnswer = <B>(request: Asked, page: Counted, body: B) => ({
  status: 200,
  headers: pageHeaders(request, page),
  body,
});

const LinkHeader = z
  .string()
  .optional()
  .meta({
    description: 'Addresses of `first`, `prev`, `next` and `last` page (RFC 8288), as far as there are such pages',
    header: { id: 'Link' },
  });
const count = (id: string, description: string) => z.string().optional().meta({ description, header: { id } });

/** Schemas of the headers that answers of an endpoint with these parameters have (rules/lists.md#page-headers). */
export function headersOfPages(query: z.ZodObject): Record<string, z.ZodType> {
  if (!('page' in query.shape)) return 'cursor' in query.shape ? { Link: LinkHeader } : {};
  return {
    Link: LinkHeader,
    'X-Current-Page': count('X-Current-Page', 'Number of the page'),
    'X-Per-Page': count('X-Per-Page', 'Most records on a page'),
    'X-Total-Count': count('X-Total-Count', 'Records in the whole list; absent if nobody counted'),
    'X-Total-Pages': count('X-Total-Pages', 'Pages that are not empty; absent if nobody counted'),
  };
}

/**
 * `{page, per_page, total_pages, total_count, <name>, _links}`: the form of moments, builds, repositories and controls
 * (rules/lists.md#page-forms).
 */
export function flatPage<N extends string, T>(name: N, request: Asked, page: PageOf<T>) {
  return {
    page: page.page,
    per_page: page.perPage,
    total_pages: pageCount(page.total, page.perPage),
    total_count: page.total,
    [name]: page.items,
    _links: pageLinks(request, page),
    // The compiler widens a computed key to any text.
  } as { page: number; per_page: number; total_pages: number; total_count: number; _links: Links } & Record<N, T[]>;
}

/** @param description what the page lists */
export const flatPageSchema = <N extends string, S extends z.ZodType>(name: N, item: S, description: string) =>
  z.object({
    page: PageNumber.describe('Number of the page, from 1 on'),
    per_page: Count.describe('Most records on a page'),
    total_pages: Count.describe('Number of pages'),
    total_count: Count.describe('Number of records in all pages'),
    [name]: z.array(item).describe(description),
    _links: Links.describe('Addresses of other records or pages'),
    // The compiler widens a computed key to any text.
  } as {
    page: z.ZodInt;
    per_page: z.ZodInt;
    total_pages: z.ZodInt;
    total_count: z.ZodInt;
    _links: typeof Links;
  } & Record<N, z.ZodArray<S>>);

/** `{data, pagination}`: the form of trails, flows and attestations (rules/lists.md#page-forms). */
export const dataPage = <T>(page: PageOf<T>) => ({
  data: [...page.items],
  pagination: {
    total: page.total,
    page: page.page,
    per_page: page.perPage,
    page_count: pageCount(page.total, page.perPage),
  },
});

const Pagination = z
  .object({
    total: z.int().describe('Number of records in all pages'),
    page: z.int().describe('Number of the page, from 1 on'),
    per_page: z.int().describe('Most records on a page'),
    page_count: z.int().describe('Number of pages'),
  })
  .meta({ id: 'Pagination' });

export const dataPageSchema = <S extends z.ZodType>(item: S) =>
  z.object({
    data: z.array(item).describe('The records of the page'),
    pagination: Pagination.describe('Where the page is in its list'),
  });
