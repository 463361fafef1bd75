#!/usr/bin/env node
import { runGenerator } from '@snoflax/prisma-extension/generator'

runGenerator()
