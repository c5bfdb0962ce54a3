#include "FaultVFS.h"
