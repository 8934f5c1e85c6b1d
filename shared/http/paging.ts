import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import type { Request } from './endpoint.ts';

/** One page of a list. */
export interface PageOf<T> {
  page: number;
  perPage: number;
  /** Records in the whole list. */
  total: number;
  /** Records of this page. */
  items: readonly T[];
}

type Asked = Pick<Request, 'host' | 'path' | 'rawQuery'>;

const Link = z.object({ href: z.string() }).meta({ id: 'Link' });

/** Addresses of neighbouring pages. Pages that do not exist are left out (rules/lists.md#page-links). */
export const Links = z
  .object({
    self: Link,
    first: Link.optional(),
    prev: Link.optional(),
    next: Link.optional(),
    last: Link.optional(),
  })
  .meta({ id: 'PageLinks' });
export type Links = z.infer<typeof Links>;

/** Returns the number of pages that are not empty. */
export const pageCount = (total: number, perPage: number): number => (perPage > 0 ? Math.ceil(total / perPage) : 0);

/** Returns the absolute links of a page. They repeat the query as it was sent, with `page` and `per_page` filled in. */
export function pageLinks(request: Asked, { page, perPage, total }: Omit<PageOf<unknown>, 'items'>): Links {
  const pages = pageCount(total, perPage);
  const link = (number: number) => {
    const query = new URLSearchParams(request.rawQuery);
    query.set('page', String(number));
    query.set('per_page', String(perPage));
    return { href: `${absolute(request.host, request.path)}?${query}` };
  };
  return {
    self: link(page),
    first: link(1),
    ...(page > 1 && { prev: link(Math.min(page - 1, Math.max(1, pages))) }),
    ...(page < pages && { next: link(page + 1) }),
    last: link(Math.max(1, pages)),
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
  } as { page: number; per_page: number; total_pages: number; total_count: number; _links: Links } & Record<N, T[]>;
}

export const flatPageSchema = <N extends string, S extends z.ZodType>(name: N, item: S) =>
  z.object({
    page: z.int(),
    per_page: z.int(),
    total_pages: z.int(),
    total_count: z.int(),
    [name]: z.array(item),
    _links: Links,
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
  .object({ total: z.int(), page: z.int(), per_page: z.int(), page_count: z.int() })
  .meta({ id: 'Pagination' });

export const dataPageSchema = <S extends z.ZodType>(item: S) =>
  z.object({ data: z.array(item), pagination: Pagination });
