type RecordIn<A, K extends string> = A extends readonly (infer T)[]
  ? T
  : A extends { readonly [name in K]: readonly (infer T)[] }
    ? T
    : never;

/**
 * The records of a list that answers an array, or an object with one page of it. Lists without `page` and `per_page`
 * answer the array.
 */
export const allOf = <A, const K extends string>(answer: A, name: K): readonly RecordIn<A, K>[] =>
  // RecordIn says which of the two an answer is. An argument of a type that is not known yet cannot be narrowed by it.
  Array.isArray(answer) ? answer : (answer as Readonly<Record<K, readonly RecordIn<A, K>[]>>)[name];

/** The place of a page in its list, from answers of the form `{page, per_page, total_pages, total_count}`. */
export const paginationOf = (answer: {
  page: number;
  per_page: number;
  total_pages: number;
  total_count: number;
}): { page: number; per_page: number; page_count: number; total: number } => ({
  page: answer.page,
  per_page: answer.per_page,
  page_count: answer.total_pages,
  total: answer.total_count,
});
