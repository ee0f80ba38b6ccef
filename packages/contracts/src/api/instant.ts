import { z } from 'zod';

/** How every instant is written in an answer: UTC, milliseconds, `Z`. */
export const instantSchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ format: 'date-time', example: '2026-05-01T12:00:00.000Z' });
