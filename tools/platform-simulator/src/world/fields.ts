import { z } from 'zod';

export const text = z.string().min(1).max(500);
export const isrc = z.string().regex(/^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/, 'is not an ISRC');
export const date = z.string().regex(/^\d{4}(-\d{2}(-\d{2})?)?$/, 'is not a date such as 2026-03-14');
export const countries = z.array(z.string().regex(/^[A-Z]{2}$/, 'is not a country code such as "FR"'));
export const followers = z.number().int().min(0);
