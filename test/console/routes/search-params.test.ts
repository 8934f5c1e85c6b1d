import { describe, expect, it } from 'vitest';
import {
  day,
  daysPeriod,
  oneOf,
  pageNumber,
  parseSearch,
  searchFromText,
  searchToText,
  text,
  time,
} from '#console/routes/search-params.ts';

describe('days in addresses', () => {
  it('are whole days in UTC', () => {
    expect(daysPeriod({ from: '2026-07-01', to: '2026-07-01' })).toEqual({
      start_ts: 1782864000,
      end_ts: 1782950399.999,
    });
    expect(daysPeriod({})).toEqual({});
  });

  it.each(['2026-13-01', '1.7.2026', ''])('«%s» is no day', (given) => {
    expect(day(given)).toBeUndefined();
  });
});

describe('parameters of an address', () => {
  it('are parsed as the page declares them, and left out if they do not fit', () => {
    const shape = { tab: oneOf('events', 'raw'), page: pageNumber, q: text, from: time };
    expect(parseSearch(shape, searchFromText('?tab=raw&page=2&q=a+b&from=2026-07-01&other=1'))).toEqual({
      tab: 'raw',
      page: 2,
      q: 'a b',
      from: 1_782_864_000,
    });
    expect(parseSearch(shape, searchFromText('?tab=x&page=0&q=&from=yesterday'))).toEqual({});
  });

  it('are written without absent values', () => {
    expect(searchToText({ page: 2, tab: undefined, q: 'a b' })).toBe('?page=2&q=a+b');
    expect(searchToText({})).toBe('');
  });
});
